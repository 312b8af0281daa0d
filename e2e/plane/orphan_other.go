//go:build !linux

package plane

import "syscall"

// dieWithParent does nothing: only Linux has this function. The guard kills the process.
func dieWithParent(*syscall.SysProcAttr) {}
