package course

import (
	"context"
	"os"
	"path/filepath"

	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/chapters"
)

// hint prints the next hint of a step's chapter, or all of them.
func (c *Command) hint(_ context.Context, step catalog.Step) error {
	content, err := os.ReadFile(filepath.Join(c.workspace.root, filepath.FromSlash(c.chapter(step))))
	if err != nil {
		return fail(noChapter, err)
	}
	hints, err := chapters.Hints(string(content))
	if err != nil {
		return fail(noChapter, err)
	}
	first, last := 0, len(hints)
	if !c.all {
		first = c.progress().of(step).Hints
		last = first + 1
	}
	if first >= len(hints) {
		c.say(hintNone, len(hints), step.Number)
		return nil
	}
	for i := first; i < last; i++ {
		if i > first {
			c.say(text{"\n", "\n"})
		}
		c.say(hintHead, i+1, len(hints))
		c.say(text{"%s\n", "%s\n"}, hints[i])
	}
	if last < len(hints) {
		c.say(hintMore, step.Number)
	} else {
		c.say(hintLast, step.Number)
	}
	return c.update(func(p *progress) { p.of(step).Hints = last })
}
