package course

import (
	"context"
	"os/exec"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// show prints the run of a chapter. A program of its own runs it, because it links the
// library and the API server.
func (c *Command) show(ctx context.Context, step catalog.Step) error {
	return withExecutable("show", func(executable string) error {
		if err := c.compile(ctx, "learn/internal/show", executable, nil); err != nil {
			return err
		}
		command := exec.CommandContext(ctx, executable, step.Name)
		command.Stdout, command.Stderr = c.Out, c.Err
		return command.Run()
	})
}
