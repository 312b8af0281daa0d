package plane

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a running server. It has its own process group, so that Ctrl-C in a terminal
// does not reach it.
type process struct {
	name string
	cmd  *exec.Cmd
	log  *tail
	done chan struct{} // closed when the process has ended
	err  error         // of Wait; written before done is closed
}

// startProcess starts a program.
func startProcess(cmd *exec.Cmd, name string, log *tail) (*process, error) {
	p := &process{name: name, cmd: cmd, log: log, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	started := make(chan error)
	go func() {
		// For Linux, the parent has ended when the thread that started the process has
		// ended. So this thread stays until the process has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- fmt.Errorf("start %s: %w", name, err)
			return
		}
		started <- nil
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// kill kills the process and its child processes, and returns when it has ended. The
// servers have nothing to save.
func (p *process) kill() {
	if p.hasEnded() {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// hasEnded reports whether the process has ended.
func (p *process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// ended returns an error with the reason of the end and the end of the log.
func (p *process) ended() error {
	return fmt.Errorf("%s has ended (%v); the end of its log:\n%s", p.name, p.err, p.log)
}

// guardScript waits for the end of the process that started it, which closes the pipe that
// it reads. Then it kills the watched processes and removes the folder that is its only
// argument.
const guardScript = `
while read -r command number; do
	case $command in
	watch) watched="$watched $number" ;;
	forget) watched= ;;
	esac
done
for number in $watched; do kill -9 "-$number" 2>/dev/null; done
try=0
while [ $try -lt 300 ]; do
	rm -rf "$1" && exit
	sleep 0.1
	try=$((try + 1))
done
`

// guard cleans up if this process cannot.
type guard struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// startGuard starts the guard of a folder.
func startGuard(dir string) (*guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	defer read.Close()
	cmd := exec.Command("/bin/sh", "-c", guardScript, "thinformer-guard", dir)
	cmd.Stdin = read
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = "/"
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	return &guard{cmd, write}, nil
}

// watch makes the guard kill a process at the end.
func (g *guard) watch(p *process) error {
	if _, err := fmt.Fprintln(g.pipe, "watch", p.cmd.Process.Pid); err != nil {
		return fmt.Errorf("make the guard watch %s: %w", p.name, err)
	}
	return nil
}

// watchOnly makes the guard kill a process at the end, and none that it watched before.
func (g *guard) watchOnly(p *process) error {
	if _, err := fmt.Fprintf(g.pipe, "forget all\nwatch %d\n", p.cmd.Process.Pid); err != nil {
		return fmt.Errorf("make the guard watch %s only: %w", p.name, err)
	}
	return nil
}

// end ends the guard after all processes have ended. The guard kills none of them, since
// other processes may have their numbers now. It removes the folder before end returns.
func (g *guard) end() error {
	fmt.Fprintln(g.pipe, "forget all")
	g.pipe.Close()
	return g.cmd.Wait()
}
