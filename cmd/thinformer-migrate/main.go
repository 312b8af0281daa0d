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
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/report"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/versions"
)

func main() { os.Exit(run(".", os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the code to exit with: 2 for wrong arguments, 1 if there is no report or no
// patch, 0 otherwise, also if nothing can change.
func run(dir string, arguments []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("thinformer-migrate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: thinformer-migrate [-diff]\n\nIt examines the Go module in the current folder and writes no file.")
		flags.PrintDefaults()
	}
	diff := flags.Bool("diff", false, "print a patch for git apply instead of the report")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // Parse has printed it
	}
	say := func(message any) { fmt.Fprintln(stderr, "thinformer-migrate:", message) }
	if flags.NArg() > 0 {
		say(fmt.Sprintf("there is an argument %q, and the only one is -diff: run the tool in the folder of the module that it examines", flags.Arg(0)))
		return 2
	}
	p, err := program.Load(dir, proposal.Needs)
	if err != nil {
		say(err)
		return 1
	}
	found := proposal.Find(p)
	write := report.Write
	if *diff {
		if old := versions.Update(p); len(old) > 0 {
			say(fmt.Sprintf("client-go %s is older than %s: there is no patch until you have run\n  %s", versions.ClientGo(p), versions.Oldest, strings.Join(old, "\n  ")))
			return 1
		}
		if n := len(report.Unexamined(found)); n > 0 {
			say(fmt.Sprintf("the patch does not change everything: the report, which is printed without -diff, lists %d under \"Not examined\"", n))
		}
		if len(found.Changes) == 0 {
			say("there is nothing to change; the report, which is printed without -diff, has the reasons")
		}
		write = report.Patch
	}
	if err := write(stdout, found); err != nil {
		say(err)
		return 1
	}
	return 0
}
