// The command thinformer-migrate examines the module in the current folder, which uses
// client-go's informers, and reports what a switch to this project changes: where each
// informer comes from, which imports can change, what stays and why, which differences the
// program touches, and which versions go mod tidy will select.
//
//	thinformer-migrate                     # the report
//	thinformer-migrate -diff | git apply   # the changes
//
// It writes no file. What -diff prints has been type-checked.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/report"
)

func main() {
	if err := run(".", os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "thinformer-migrate:", err)
		os.Exit(1)
	}
}

func run(dir string, arguments []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("thinformer-migrate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: thinformer-migrate [-diff]\n\nIt examines the Go module in the current folder and writes no file.")
		flags.PrintDefaults()
	}
	diff := flags.Bool("diff", false, "print a patch for git apply instead of the report")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return nil // the usage has been printed
	} else if err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the tool takes no arguments besides -diff, and there is %q: it examines the module in the current folder", flags.Arg(0))
	}
	p, err := program.Load(dir, proposal.Needs)
	if err != nil {
		return err
	}
	found := proposal.Find(p)
	if *diff {
		if len(found.Changes) == 0 {
			fmt.Fprintln(stderr, "thinformer-migrate: there is nothing to change; run it without -diff for the reasons")
		}
		return report.Patch(stdout, found)
	}
	return report.Write(stdout, found)
}
