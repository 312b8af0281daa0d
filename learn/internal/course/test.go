package course

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/process"
	"github.com/thinformer/thinformer/learn/internal/program"
)

const (
	// testLimit is the time of all checks, after the build.
	testLimit = 15 * time.Second
	// shownFailures have a reason. Later ones are often consequences.
	shownFailures = 3
	// shownLines is the number of lines of the solution's own output for a failure.
	shownLines = 20
)

// errFailedChecks is the error of a test whose result has been printed.
var errFailedChecks = errors.New("not all checks pass")

// test builds a solution and runs the checks of its step.
func (c *Command) test(ctx context.Context, step catalog.Step) error {
	if _, err := c.workspace.solution(step); err != nil {
		return err
	}
	solution := program.Solution{Step: step, Parts: []program.Part{c.part(step)}}
	var without []catalog.Step
	if c.mine || step.Name == "simulation" {
		var with []catalog.Step
		with, without = c.otherParts(step)
		for _, other := range with {
			solution.Parts = append(solution.Parts, c.part(other))
		}
	}
	for _, part := range solution.Parts {
		if err := c.checkFiles(part.Step); err != nil {
			return c.notBuilt(step, err)
		}
	}
	c.say(testHead, step.Number, step.Name, len(step.Checks))
	c.sayParts(solution.Parts, without)

	return withExecutable("judge", func(executable string) error {
		if err := c.build(ctx, solution, executable); err != nil {
			return c.notBuilt(step, err)
		}
		return c.judge(ctx, step, executable)
	})
}

// notBuilt returns err, which has prevented the checks. If it is a mistake of the
// solution, the step does not pass any longer.
func (c *Command) notBuilt(step catalog.Step, err error) error {
	var mistake *failure
	if errors.As(err, &mistake) {
		return errors.Join(c.store(step, 0), err)
	}
	return err
}

// stores reports whether the outcome of a test is the result of its step: with -mine it
// depends on other parts too, and only step 12 is about all of them.
func (c *Command) stores(step catalog.Step) bool { return !c.mine || step.Name == "simulation" }

// store records how many checks of a step have passed.
func (c *Command) store(step catalog.Step, passed int) error {
	return c.update(func(p *progress) {
		p.Last = step.Name
		if c.stores(step) {
			p.of(step).Passed, p.of(step).Checks = passed, len(step.Checks)
		}
	})
}

// withExecutable calls run with the name of a program to build, in a folder that exists
// until run returns.
func withExecutable(name string, run func(executable string) error) error {
	folder, err := os.MkdirTemp("", "learn")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return run(filepath.Join(folder, name))
}

// part returns the package of a step's solution.
func (c *Command) part(step catalog.Step) program.Part {
	return program.Part{Step: step, Folder: c.workspace.shown(step)}
}

// otherParts returns the steps whose parts replace those of the reference: the ones that
// have passed, or with -mine all that exist. without are those that exist and do not.
func (c *Command) otherParts(step catalog.Step) (with, without []catalog.Step) {
	p := c.progress()
	for _, other := range c.workspace.steps {
		switch {
		case other.Name == step.Name || !c.workspace.exists(other):
		case c.mine || c.passed(p, other):
			with = append(with, other)
		default:
			without = append(without, other)
		}
	}
	return with, without
}

// sayParts says whose parts are used, if not only one is the learner's.
func (c *Command) sayParts(parts []program.Part, without []catalog.Step) {
	var with []catalog.Step
	for _, part := range parts {
		with = append(with, part.Step)
	}
	if len(with) > 1 {
		c.say(partsOf, numbers(with))
	}
	switch len(without) {
	case 0:
	case 1:
		c.say(partNotPassed, without[0].Number)
	default:
		c.say(partsNotPassed, numbers(without))
	}
}

func numbers(all []catalog.Step) string {
	var list []string
	for _, step := range all {
		list = append(list, fmt.Sprint(step.Number))
	}
	return strings.Join(list, ", ")
}

// judge runs the checks and prints the outcome of each one.
func (c *Command) judge(ctx context.Context, step catalog.Step, executable string) error {
	p := process.Program{Path: executable, Limit: testLimit}
	if c.seed != "" {
		p.Args = []string{"-seed", c.seed}
	}
	judged, passed := 0, 0
	err := p.Judge(ctx, len(step.Checks), func(o process.Outcome) bool {
		judged++
		if o.Reason == "" {
			passed++
			fmt.Fprintln(c.Out, "ok    "+o.Check)
			return true
		}
		fmt.Fprintln(c.Out, "FAIL  "+o.Check)
		if judged-passed <= shownFailures {
			c.sayReason(o)
		}
		return true
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.store(step, passed); err != nil {
		return err
	}
	return c.result(step, judged, passed, err)
}

// result prints how many of the judged checks have passed. err is the one of the process.
func (c *Command) result(step catalog.Step, judged, passed int, err error) error {
	switch {
	case errors.Is(err, process.ErrLimit) && judged == 0:
		return fail(endlessStart, testLimit)
	case errors.Is(err, process.ErrLimit):
		c.say(overLimit, testLimit, judged, len(step.Checks))
	case err != nil:
		return fail(notBegun, err)
	case passed == len(step.Checks):
		c.sayPassed(step)
		return nil
	}
	if judged-passed > shownFailures {
		c.say(shownFirst, shownFailures)
	}
	c.say(failedCount, passed, len(step.Checks), step.Number)
	return errFailedChecks
}

// sayReason prints why a check has failed, and what the solution printed.
func (c *Command) sayReason(o process.Outcome) {
	for line := range strings.SplitSeq(o.Reason, "\n") {
		fmt.Fprintln(c.Out, "      "+line)
	}
	output := strings.TrimRight(o.Output, "\n")
	if output == "" {
		return
	}
	c.say(printed)
	lines := strings.Split(output, "\n")
	for _, line := range lines[:min(len(lines), shownLines)] {
		fmt.Fprintln(c.Out, "      | "+line)
	}
	if more := len(lines) - shownLines; more > 0 {
		c.say(printedMore, more)
	}
}

// sayPassed says what comes after a step that has passed: the next one that has not, or
// the first one that has been skipped.
func (c *Command) sayPassed(step catalog.Step) {
	c.say(passedAll, len(step.Checks), step.Number)
	p := c.progress()
	if !c.stores(step) && !c.passed(p, step) {
		c.say(passedMine, step.Number)
		return
	}
	var left []catalog.Step
	for _, other := range c.workspace.steps {
		switch {
		case c.passed(p, other):
		case other.Number > step.Number:
			c.say(passedNext, other.Number)
			c.sayShortPath(p, step, other)
			return
		default:
			left = append(left, other)
		}
	}
	if len(left) > 0 {
		c.say(passedNext, left[0].Number)
		return
	}
	c.say(allPassed)
}

// sayShortPath says which step comes next on the short path, if step is on it and next is
// not.
func (c *Command) sayShortPath(p *progress, step, next catalog.Step) {
	if !step.Short || next.Short {
		return
	}
	for _, other := range c.workspace.steps {
		if other.Short && other.Number > next.Number && !c.passed(p, other) {
			c.say(passedShort, other.Number)
			return
		}
	}
}
