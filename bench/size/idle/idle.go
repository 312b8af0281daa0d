// Package idle is a part of all measured programs. It reports the time at which main
// began, and can stop the program there.
package idle

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Now returns the time at which main began, since programs call it in the first line,
// and the address of a server.
//
// Without arguments, the program prints this time and waits until its standard input is
// closed. If the argument is the address of a server, the program continues.
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

// Reconciled prints the time since main began and ends the program. The first reconcile
// calls it.
func Reconciled(began time.Time) {
	fmt.Println(time.Since(began).Nanoseconds())
	os.Exit(0)
}

// Check ends the program if err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
