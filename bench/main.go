// Command bench does the same work with thinformer and with client-go in one run, and prints
// the figures of both.
//
//	go run -C bench .                  # all cases except outages, with enough rounds for a comparison
//	go run -C bench . -short           # the same, in two minutes
//	go run -C bench . -run '^store/'   # some cases
//	go run -C bench . -run '^recover/' # outages, which run only if named: half an hour
//	go run -C bench . -list            # describes each case
//
// The ratio is client-go's figure divided by ours: 2x means that ours takes half. The exit
// code does not depend on the figures.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/size"
)

func main() {
	if process.RunAsChild(allRoles()) {
		return
	}
	defer size.Clean()
	run := flag.String("run", "", "only the cases whose name matches this regular expression")
	short := flag.Bool("short", false, "fewer and shorter rounds: two minutes for everything")
	asJSON := flag.Bool("json", false, "one JSON object per line instead of a table")
	list := flag.Bool("list", false, "describe each case, and measure nothing")
	verbose := flag.Bool("v", false, "report the progress on stderr even if it is not a terminal")
	flag.Parse()

	chosen, err := choose(*run, *list)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench:", err, flag.Args())
		flag.Usage()
		os.Exit(2)
	}
	plan := harness.Plan{Rounds: 9, Budget: 300 * time.Millisecond}
	if *short {
		plan = harness.Plan{Rounds: 3, Heavy: 1, Budget: 30 * time.Millisecond}
	}
	if *verbose || isTerminal(os.Stderr) {
		plan.Progress = progress
	}
	if *list {
		err = describe(os.Stdout, chosen)
	} else {
		err = measure(os.Stdout, plan, chosen, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// choose returns the cases whose names match the expression. Cases with OnlyNamed are
// included only if the expression names them, or if all is set.
func choose(expression string, all bool) (chosen []harness.Case, err error) {
	matches, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	for _, c := range allCases() {
		if matches.MatchString(c.Name) && (all || c.IsNamedBy(expression)) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

func describe(w io.Writer, cases []harness.Case) error {
	for _, c := range cases {
		if _, err := fmt.Fprintf(w, "%s (%s)\n    %s\n", c.Name, c.Unit, c.About); err != nil {
			return err
		}
	}
	return nil
}

func measure(w io.Writer, plan harness.Plan, cases []harness.Case, asJSON bool) error {
	printer := harness.NewJSON(w)
	if !asJSON {
		var names []string
		for _, c := range cases {
			names = append(names, c.Name)
		}
		var err error
		if printer, err = harness.NewTable(w, names); err != nil {
			return err
		}
	}
	for _, c := range cases {
		rows := plan.Run(c)
		if plan.Progress != nil {
			fmt.Fprint(os.Stderr, clearLine)
		}
		for _, row := range rows {
			if err := printer.Row(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearLine clears the current line of a terminal.
const clearLine = "\r\x1b[K"

func progress(c harness.Case, round, of int) {
	fmt.Fprintf(os.Stderr, "%s%s: round %d of %d", clearLine, c.Name, round, of)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
