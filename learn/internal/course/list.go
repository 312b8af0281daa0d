package course

import (
	"fmt"
	"io"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// list prints the steps, the progress, and what to type next.
func (c *Command) list() error {
	c.say(listHead)
	p := c.progress()
	rows := [][]string{{c.in(columnStep), "", c.in(columnBuilds), c.in(columnMinutes), c.in(columnState)}}
	for _, step := range c.workspace.all() {
		number := fmt.Sprintf("%4d  ", step.Number)
		if step.Short {
			number = fmt.Sprintf("%4d *", step.Number)
		}
		about := builds[step.Name]
		rows = append(rows, []string{number, step.Name, about.in(c.language), fmt.Sprint(about.minutes), c.state(p, step)})
	}
	printColumns(c.Out, rows)
	c.say(shortPath)
	c.sayNext(p)
	return nil
}

func (c *Command) in(t text) string { return t.in(c.language) }

// state says how far the user is with a step.
func (c *Command) state(p *progress, step catalog.Step) string {
	switch at := p.of(step); {
	case step.Number == 0 || !c.workspace.exists(step):
		return ""
	case c.passed(p, step):
		return c.in(statePassed)
	case at.Checks > 0:
		return fmt.Sprintf(c.in(stateFailed), at.Passed, at.Checks)
	}
	return c.in(stateStarted)
}

// sayNext says what to type next: the test of a step that is started, the one of the last
// command first, or the start of the next one.
func (c *Command) sayNext(p *progress) {
	var open, fresh []catalog.Step
	started := false
	for _, step := range c.workspace.steps {
		exists := c.workspace.exists(step)
		started = started || exists
		switch {
		case !exists:
			fresh = append(fresh, step)
		case !p.passed(step) && step.Name == p.Last:
			open = append([]catalog.Step{step}, open...)
		case !p.passed(step):
			open = append(open, step)
		}
	}
	switch {
	case len(open) > 0:
		c.say(nextTest, c.workspace.shown(open[0]), open[0].Number, c.chapter(open[0]))
	case !started:
		c.say(nextFirst, c.chapter(theMap))
	case len(fresh) > 0:
		c.say(nextStart, c.nextOf(p, fresh).Number)
	default:
		c.say(allPassed)
	}
}

// nextOf returns the step after the last one, on the short path if that one was on it.
func (c *Command) nextOf(p *progress, fresh []catalog.Step) catalog.Step {
	last, _ := c.workspace.find(p.Last)
	for _, step := range fresh {
		if step.Number > last.Number && (step.Short || !last.Short) {
			return step
		}
	}
	return fresh[0]
}

// printColumns prints rows. A Chinese character has two columns of the terminal.
func printColumns(out io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-width(cell)+2)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

// width returns the number of columns of a text in a terminal.
func width(text string) (columns int) {
	for _, r := range text {
		columns++
		if r >= 0x2e80 { // Chinese characters and their punctuation begin here
			columns++
		}
	}
	return columns
}
