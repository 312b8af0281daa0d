//go:build !unix

package transport

import "os/exec"

// setProcessGroup does nothing: there are no process groups. stop kills the command
// only.
func setProcessGroup(command *exec.Cmd) (stop func() error) { return command.Cancel }
