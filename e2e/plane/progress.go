package plane

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progressEvery is the time between two lines about a build.
const progressEvery = 15 * time.Second

// progress summarizes the output of go build -v in a line from time to time, and keeps the
// lines with errors.
type progress struct {
	out  io.Writer
	what string
	stop chan struct{}
	done sync.WaitGroup
	from time.Time

	mu         sync.Mutex
	partial    []byte // the incomplete last line
	downloads  int
	packages   int
	errorLines []string
}

// showProgress reports to out on the build whose output is written to it.
func showProgress(out io.Writer, what string) *progress {
	p := &progress{out: out, what: what, stop: make(chan struct{}), from: time.Now()}
	fmt.Fprintf(out, "building %s (minutes the first time)\n", what)
	p.done.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.report("building " + what)
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// Write takes the standard error of go build -v.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partial = append(p.partial, text...)
	for {
		line, rest, complete := bytes.Cut(p.partial, []byte("\n"))
		if !complete {
			return len(text), nil
		}
		p.partial = rest
		p.count(string(line))
	}
}

// count counts a line as a download, a compiled package or an error.
func (p *progress) count(line string) {
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.downloads++
	case !strings.ContainsAny(line, " \t#:"):
		p.packages++
	default:
		p.errorLines = append(p.errorLines, line)
	}
}

func (p *progress) report(doing string) {
	p.mu.Lock()
	line := fmt.Sprintf("%s: %d s, %d modules downloaded, %d packages compiled\n", doing, int(time.Since(p.from).Seconds()), p.downloads, p.packages)
	p.mu.Unlock()
	fmt.Fprint(p.out, line)
}

// end stops reporting and returns the errors of the build.
func (p *progress) end(built bool) string {
	close(p.stop)
	p.done.Wait()
	if built {
		p.report("built " + p.what)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(append(p.errorLines, string(p.partial)), "\n")
}
