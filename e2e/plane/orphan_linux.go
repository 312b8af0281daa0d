package plane

import "syscall"

// dieWithParent has the kernel kill the process when the thread that starts it
// ends.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
