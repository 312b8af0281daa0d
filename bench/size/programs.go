package size

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/bench/wire"
)

// program is one of the programs in the folder programs. It is built once.
type program struct {
	name        string
	build       func() string
	contentType string // that it requests; "" is the default of its client
}

func newProgram(name string) program {
	return program{name: name, build: sync.OnceValue(func() string { return built(name) })}
}

// requesting returns the program with an encoding.
func (p program) requesting(encoding wire.Encoding) program {
	p.contentType = string(encoding)
	return p
}

// built builds a stripped program and returns its file.
func built(name string) (file string) {
	file = filepath.Join(buildFolder(), name)
	goCommand("build", "-trimpath", "-ldflags=-s -w", "-o", file, pathOf(name))
	return file
}

// buildFolder returns the folder of the built programs. Clean removes it.
var buildFolder = sync.OnceValue(func() string {
	return must(os.MkdirTemp("", "thinformer-bench-size-"))
})

// Clean removes the built programs.
func Clean() { _ = os.RemoveAll(buildFolder()) }

func pathOf(name string) string {
	return "github.com/thinformer/thinformer/bench/size/programs/" + name
}

// goCommand runs the go command in the working directory of bench, which is in this
// module.
func goCommand(args ...string) string {
	command := exec.Command("go", args...)
	command.Stderr = os.Stderr
	return string(must(command.Output()))
}

// bytes returns the size of the program's file.
func (p program) bytes() int64 { return must(os.Stat(p.build())).Size() }

// packages returns the number of linked packages, including those of the standard
// library.
func (p program) packages() int {
	return strings.Count(goCommand("list", "-deps", pathOf(p.name)), "\n")
}

// start starts the program and waits until it is in the first line of main.
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

// firstReconcile runs the program with a server until its first reconcile, and returns
// the time from the beginning of main to that.
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
