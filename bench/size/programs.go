package size

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// program is one of the programs in the folder of that name, built once.
type program struct {
	name  string
	build func() string
}

func newProgram(name string) program {
	return program{name, sync.OnceValue(func() string { return built(name) })}
}

// built builds a program as it would be shipped: stripped.
func built(name string) (file string) {
	file = filepath.Join(workshop(), name)
	goCommand("build", "-trimpath", "-ldflags=-s -w", "-o", file, pathOf(name))
	return file
}

// workshop is where the programs are built, until Clean.
var workshop = sync.OnceValue(func() string {
	return must(os.MkdirTemp("", "thinformer-bench-size-"))
})

// Clean removes what was built.
func Clean() { _ = os.RemoveAll(workshop()) }

func pathOf(name string) string {
	return "github.com/thinformer/thinformer/bench/size/programs/" + name
}

// goCommand runs the go command in the folder of this module, where bench runs.
func goCommand(args ...string) string {
	command := exec.Command("go", args...)
	command.Stderr = os.Stderr
	return string(must(command.Output()))
}

// bytes is the size of the program's file.
func (p program) bytes() int64 { return must(os.Stat(p.build())).Size() }

// packages is how many it links, those of the standard library included.
func (p program) packages() int {
	return strings.Count(goCommand("list", "-deps", pathOf(p.name)), "\n")
}

// start runs the program until its main has begun, where it waits.
func (p program) start() (untilMain time.Duration, pid int, stop func()) {
	command := exec.Command(p.build())
	command.Stderr = os.Stderr
	input, output := must(command.StdinPipe()), must(command.StdoutPipe())
	began := time.Now()
	check(command.Start())
	line := must(bufio.NewReader(output).ReadString('\n'))
	inMain := time.Unix(0, must(strconv.ParseInt(strings.TrimSpace(line), 10, 64)))
	return inMain.Sub(began), command.Process.Pid, func() {
		check(input.Close())
		_, _ = io.Copy(io.Discard, output)
		check(command.Wait())
	}
}

// resident is how much memory a process holds.
func resident(pid int) int64 {
	for line := range strings.Lines(string(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))))) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return must(strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(size), "kB")), 10, 64)) << 10
		}
	}
	panic("this system does not say how much memory a process holds")
}

// firstReconcile runs the program against a server until its first reconcile,
// and returns how long after the beginning of main that was.
func (p program) firstReconcile(address string) time.Duration {
	command := exec.Command(p.build(), address)
	command.Stderr = os.Stderr
	output := must(command.Output())
	return time.Duration(must(strconv.ParseInt(strings.TrimSpace(string(output)), 10, 64)))
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
