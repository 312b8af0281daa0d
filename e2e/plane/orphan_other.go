//go:build !linux

package plane

import "syscall"

// dieWithParent does nothing: only Linux can be asked. The guard is left.
func dieWithParent(*syscall.SysProcAttr) {}
