package plane

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a server that runs, in a process group of its own: what a terminal
// sends to the group of its user's program, Ctrl-C first of all, does not reach it.
type process struct {
	name string
	cmd  *exec.Cmd
	log  *tail
	done chan struct{} // closed when the process has ended
	err  error         // how; written before done is closed
}

// startProcess starts a program and returns when it runs.
func startProcess(cmd *exec.Cmd, name string, log *tail) (*process, error) {
	p := &process{name: name, cmd: cmd, log: log, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	started := make(chan error)
	go func() {
		// Linux takes the end of the thread that has started a process for that
		// of its parent: this one stays until the process has ended.
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

// kill ends the process at once, with all that it has started, and returns when
// it is gone. The servers have nothing to save.
func (p *process) kill() {
	select {
	case <-p.done:
		return
	default:
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// ended says why the process is not there any more.
func (p *process) ended() error {
	return fmt.Errorf("%s has ended (%v); the last it said:\n%s", p.name, p.err, p.log)
}

// guardScript waits for the end of the process that started it, which closes the
// pipe that it reads. Then it ends the processes whose numbers it was told and
// have not been called back, and removes the folder that is its only argument.
const guardScript = `
while read -r word number; do
	case $word in
	watch) watched="$watched $number" ;;
	forget) watched= ;;
	esac
done
for number in $watched; do kill -9 "-$number" 2>/dev/null; done
for try in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf "$1" && exit
	sleep 0.1
done
`

// guard cleans up after this process if it cannot do so itself.
type guard struct {
	cmd  *exec.Cmd
	tell *os.File
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

// watch has the guard end a process.
func (g *guard) watch(p *process) error {
	if _, err := fmt.Fprintln(g.tell, "watch", p.cmd.Process.Pid); err != nil {
		return fmt.Errorf("have %s guarded: %w", p.name, err)
	}
	return nil
}

// watchOnly has the guard end a process, and none that it was told of before.
func (g *guard) watchOnly(p *process) error {
	if _, err := fmt.Fprintf(g.tell, "forget all\nwatch %d\n", p.cmd.Process.Pid); err != nil {
		return fmt.Errorf("have nothing but %s guarded: %w", p.name, err)
	}
	return nil
}

// end is told when all processes have ended; the numbers that they had may be
// another's by then. The guard removes the folder, and end returns when it has.
func (g *guard) end() error {
	fmt.Fprintln(g.tell, "forget all")
	g.tell.Close()
	return g.cmd.Wait()
}
