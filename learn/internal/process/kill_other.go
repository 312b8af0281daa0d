//go:build !unix

package process

import "os/exec"

// ownGroup leaves it to exec to kill the program: there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup does nothing: a process that the solution has started is not known.
func killGroup(*exec.Cmd) {}
