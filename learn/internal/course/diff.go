package course

import (
	"context"
	"fmt"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// diff prints what differs between a solution and the reference. Both are compared as
// one text each, because the files have other names.
func (c *Command) diff(_ context.Context, step catalog.Step) error {
	solution, err := c.workspace.solution(step)
	if err != nil {
		return err
	}
	reference, err := c.workspace.provided(step, "reference")
	if err != nil {
		return err
	}
	hunks := unified(linesOf(solution), linesOf(reference))
	if hunks == "" {
		c.say(diffSame)
		return nil
	}
	_, err = fmt.Fprintf(c.Out, "--- %s\n+++ learn/internal/steps/%s/reference\n%s", c.workspace.shown(step), step.Name, hunks)
	return err
}

// linesOf returns the lines of all files.
func linesOf(files map[string]string) (lines []string) {
	for _, name := range sorted(files) {
		lines = append(lines, strings.Split(strings.TrimSuffix(files[name], "\n"), "\n")...)
	}
	return lines
}

// contextLines is the number of equal lines before and after a difference.
const contextLines = 3

// edit is a line that both texts have (' '), or only the first ('-') or the second ('+').
type edit struct {
	kind byte
	line string
}

// unified returns the differences of two texts as diff -u prints them, without the names.
func unified(old, new []string) string {
	edits := editsOf(old, new)
	var out strings.Builder
	for begin := 0; begin < len(edits); {
		if edits[begin].kind == ' ' {
			begin++
			continue
		}
		// The hunk ends before a run of equal lines that is longer than two contexts.
		end, equal := begin, 0
		for i := begin; i < len(edits) && equal <= 2*contextLines; i++ {
			if edits[i].kind == ' ' {
				equal++
			} else {
				end, equal = i+1, 0
			}
		}
		writeHunk(&out, edits, max(begin-contextLines, 0), min(end+contextLines, len(edits)))
		begin = end
	}
	return out.String()
}

func writeHunk(out *strings.Builder, edits []edit, begin, end int) {
	count := func(edits []edit, without byte) (n int) {
		for _, e := range edits {
			if e.kind != without {
				n++
			}
		}
		return n
	}
	position := func(without byte) string {
		before, length := count(edits[:begin], without), count(edits[begin:end], without)
		if length > 0 {
			before++
		}
		return fmt.Sprintf("%d,%d", before, length)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", position('+'), position('-'))
	for _, e := range edits[begin:end] {
		fmt.Fprintf(out, "%c%s\n", e.kind, e.line)
	}
}

// editsOf returns the shortest sequence of edits, from the lengths of the longest common
// subsequences of all ends of the texts.
func editsOf(old, new []string) (edits []edit) {
	common := make([][]int32, len(old)+1)
	for i := range common {
		common[i] = make([]int32, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			edits = append(edits, edit{' ', old[i]})
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', old[i]})
			i++
		default:
			edits = append(edits, edit{'+', new[j]})
			j++
		}
	}
	return edits
}
