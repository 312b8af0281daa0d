//go:build !unix

package process

import "os/exec"

// killGroup leaves it to exec to kill the program: there are no process groups.
func killGroup(*exec.Cmd) {}
