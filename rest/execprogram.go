package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"time"
)

// execGrace is how long a plugin that was killed may keep its output open, by
// processes that it has started.
const execGrace = 2 * time.Second

// execProgram is a plugin, ready to be run.
type execProgram struct {
	config *Config
	base   *url.URL
	stdin  *os.File
	stderr io.Writer
}

// run starts the program, waits for it and reads what it hands out. When ctx
// ends the program is killed. No error shows its output.
func (p *execProgram) run(ctx context.Context) (*issued, error) {
	made, err := p.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("credential plugin %s: %w", p.config.Exec.Command, err)
	}
	return made, nil
}

func (p *execProgram) ask(ctx context.Context) (*issued, error) {
	plugin := p.config.Exec
	interactive := plugin.Interactive != execNever && isTerminal(p.stdin)
	if plugin.Interactive == execAlways && !interactive {
		return nil, errors.New("it always asks the user, and the standard input is not a terminal")
	}
	told, err := p.config.execRequest(p.base, interactive)
	if err != nil {
		return nil, err
	}
	output := &boundedBuffer{left: maxCredentialBytes}
	command := exec.CommandContext(ctx, plugin.Command, plugin.Args...)
	command.Env = os.Environ()
	for _, variable := range plugin.Env {
		command.Env = append(command.Env, variable.Name+"="+variable.Value)
	}
	command.Env = append(command.Env, "KUBERNETES_EXEC_INFO="+string(told))
	command.Stdout, command.Stderr, command.WaitDelay = output, p.stderr, execGrace
	if interactive {
		command.Stdin = p.stdin
	}
	switch err := command.Run(); {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case output.left < 0:
		return nil, fmt.Errorf("its output is larger than %d bytes", maxCredentialBytes)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // it left a process behind that holds its output
		return nil, p.whyFailed(err)
	}
	return readAnswer(output.taken.Bytes(), plugin.APIVersion)
}

func (p *execProgram) whyFailed(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if exit.Exited() {
			return fmt.Errorf("it ended with exit code %d; what it says about it is in the standard error of this process", exit.ExitCode())
		}
		return fmt.Errorf("it was ended by a %s", exit.ProcessState)
	}
	hint := p.config.Exec.InstallHint
	if hint != "" && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
		return fmt.Errorf("%w\n\n%s", err, hint)
	}
	return err
}

// isTerminal is whether a file looks like one that a user sits before: a
// character device that is not the null device, which daemons have.
func isTerminal(file *os.File) bool {
	if file == nil {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

var errTooMuchOutput = errors.New("too much output")

// boundedBuffer takes what fits. left is negative once something did not.
type boundedBuffer struct {
	taken bytes.Buffer // not embedded: its ReadFrom would take everything
	left  int
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooMuchOutput
	}
	return b.taken.Write(p)
}
