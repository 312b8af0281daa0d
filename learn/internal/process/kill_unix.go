//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the program and all that it starts into one group of processes, which the
// end of the context kills.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// killGroup kills what is left of the group after the program has ended.
func killGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
