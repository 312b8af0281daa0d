package main

import (
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/store"
)

// hold measures the contests between designs whose names match the expression,
// or says what they are about.
func hold(w io.Writer, plan harness.Plan, expression string, list bool) error {
	matches, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	var contests []harness.Contest
	for _, c := range store.Designs() {
		if matches.MatchString(c.Name) {
			contests = append(contests, c)
		}
	}
	if list {
		return describeContests(w, contests)
	}
	columns, err := harness.NewColumns(w, contests, store.DesignNames)
	if err != nil {
		return err
	}
	for _, c := range contests {
		standings := plan.Hold(c)
		if plan.Progress != nil {
			fmt.Fprint(os.Stderr, clearLine)
		}
		for _, standing := range standings {
			if err := columns.Standing(standing); err != nil {
				return err
			}
		}
	}
	return nil
}

func describeContests(w io.Writer, contests []harness.Contest) error {
	for _, c := range contests {
		if _, err := fmt.Fprintf(w, "%s (%s)\n    %s\n", c.Name, c.Unit, c.About); err != nil {
			return err
		}
	}
	return nil
}
