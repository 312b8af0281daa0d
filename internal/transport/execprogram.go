package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// execWaitDelay is how long processes that a killed plugin has started may keep its
// output open.
const execWaitDelay = 2 * time.Second

// execProgram runs a credential plugin.
type execProgram struct {
	config *Config
	stdin  *os.File
	stderr io.Writer
}

// run starts the program, waits for it and parses its output. When ctx ends, it
// kills the program and the processes that it has started; on Windows, and if the
// program may prompt the user, only the program. Errors never show its output.
func (p *execProgram) run(ctx context.Context) (*execCredentials, error) {
	credentials, err := p.execute(ctx)
	if err != nil {
		return nil, fmt.Errorf("credential plugin %s: %w", p.config.Exec.Command, err)
	}
	return credentials, nil
}

func (p *execProgram) execute(ctx context.Context) (*execCredentials, error) {
	plugin := p.config.Exec
	interactive := plugin.Interactive != ExecNever && isTerminal(p.stdin)
	if plugin.Interactive == ExecAlways && !interactive {
		return nil, errors.New("interactiveMode is Always, but the standard input is not a terminal")
	}
	info, err := p.config.execRequest(interactive)
	if err != nil {
		return nil, err
	}
	output := &boundedBuffer{remaining: maxCredentialBytes}
	command := exec.CommandContext(ctx, plugin.Command, plugin.Args...)
	command.Env = os.Environ()
	for _, variable := range plugin.Env {
		command.Env = append(command.Env, variable.Name+"="+variable.Value)
	}
	command.Env = append(command.Env, "KUBERNETES_EXEC_INFO="+string(info))
	command.Stdout, command.Stderr, command.WaitDelay = output, p.stderr, execWaitDelay
	stop := command.Cancel
	if interactive {
		// Only the foreground process group may read from the terminal.
		command.Stdin = p.stdin
	} else {
		stop = setProcessGroup(command)
	}
	command.Cancel = stop
	err = command.Run()
	if ctx.Err() != nil && command.Process != nil {
		_ = stop() // also kills processes that an exited plugin has left behind
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case output.remaining < 0:
		return nil, fmt.Errorf("its output is larger than %d bytes", maxCredentialBytes)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a process that it started still holds its output
		return nil, p.describeExit(err)
	}
	return parseExecResponse(output.content.Bytes(), plugin.APIVersion)
}

func (p *execProgram) describeExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if exit.Exited() {
			return fmt.Errorf("exit code %d; its error output is in the standard error of this process", exit.ExitCode())
		}
		return fmt.Errorf("terminated by %s", exit.ProcessState)
	}
	hint := p.config.Exec.InstallHint
	if hint != "" && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
		return fmt.Errorf("%w\n\n%s", err, hint)
	}
	return err
}

// isTerminal reports whether a file is a character device other than the null
// device, which daemons have as standard input.
func isTerminal(file *os.File) bool {
	if file == nil {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	devNull, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, devNull)
}

var errTooMuchOutput = errors.New("too much output")

// boundedBuffer keeps a bounded number of bytes. remaining is negative after an
// overflow.
type boundedBuffer struct {
	content   bytes.Buffer // not embedded: its ReadFrom is not bounded
	remaining int
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.remaining -= len(p); b.remaining < 0 {
		return 0, errTooMuchOutput
	}
	return b.content.Write(p)
}
