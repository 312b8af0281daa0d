//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// killGroup makes the end of the context kill the program and all that it has started.
func killGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
