//go:build unix

package transport

import (
	"os/exec"
	"syscall"
)

// setProcessGroup makes a command run in a new process group, together with all
// processes that it starts. stop kills the group.
func setProcessGroup(command *exec.Cmd) (stop func() error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
