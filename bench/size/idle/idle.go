// Package idle is what all measured programs have in common: they stop in their
// first line and tell what it took to get there.
package idle

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Now is when main began, as far as the program can tell: it is called in the
// first line.
//
// A program without arguments prints that moment, and then does nothing until
// its input ends. A program with the address of a server continues.
func Now() (began time.Time, address string) {
	began = time.Now()
	if len(os.Args) > 1 {
		return began, os.Args[1]
	}
	fmt.Println(began.UnixNano())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
	return began, ""
}

// Reconciled is called by the first reconcile: it prints how long that took, and
// ends the program.
func Reconciled(began time.Time) {
	fmt.Println(time.Since(began).Nanoseconds())
	os.Exit(0)
}

// Check ends the program if something failed.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
