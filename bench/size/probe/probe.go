// Package probe is a part of the programs of the migration. It measures the costs of a
// program that follows the pods of a server.
package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A Report has the costs of a program.
type Report struct {
	// Sync is the time from the first line of main until the handler has been called
	// for every pod, and SyncCPU the processor time until then. Peak is the largest
	// resident set until then.
	Sync, SyncCPU time.Duration
	Peak          int64
	// Live is the live heap then, less that in the first line.
	Live int64
	// EventsCPU is the processor time of all events, until the handler has been called
	// for the last one.
	EventsCPU time.Duration
}

// Probe counts the notifications of the program's handler.
type Probe struct {
	address        string
	pods, events   int64
	began          time.Time
	before         int64
	added, updated atomic.Int64
	synced, ended  chan struct{}
}

// Begin starts a measurement. It must be called in the first line of main. The
// arguments of the program are the address of a server, its number of pods, and the
// number of events to request.
func Begin() *Probe {
	p := &Probe{began: time.Now(), address: os.Args[1], pods: number(os.Args[2]), events: number(os.Args[3]), synced: make(chan struct{}), ended: make(chan struct{})}
	p.before = live()
	p.control("reset")
	go p.tell()
	return p
}

// Address returns the address of the server.
func (p *Probe) Address() string { return p.address }

// ContentTypeVariable is the environment variable with the ContentType.
const ContentTypeVariable = "PROBE_CONTENT_TYPE"

// ContentType returns the encoding to request, "" for the default of the client.
func (p *Probe) ContentType() string { return os.Getenv(ContentTypeVariable) }

// Added must be called by the handler for each existing pod.
func (p *Probe) Added() {
	if p.added.Add(1) == p.pods {
		close(p.synced)
	}
}

// Updated must be called by the handler for each event.
func (p *Probe) Updated() {
	if p.updated.Add(1) == p.events {
		close(p.ended)
	}
}

// tell measures, prints the report and ends the program.
func (p *Probe) tell() {
	var r Report
	<-p.synced
	r.Sync, r.SyncCPU, r.Peak = time.Since(p.began), cpu(), peak()
	r.Live = live() - p.before
	before := cpu()
	p.control(fmt.Sprint("send?events=", p.events))
	<-p.ended
	r.EventsCPU = cpu() - before
	Check(json.NewEncoder(os.Stdout).Encode(r))
	os.Exit(0)
}

// control sends a control request to the server.
func (p *Probe) control(what string) {
	answer, err := http.Get(p.address + "/control/" + what)
	Check(err)
	_, err = io.Copy(io.Discard, answer.Body)
	Check(err)
	Check(answer.Body.Close())
}

// Check ends the program if err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	Check(err)
	return n
}

func cpu() time.Duration {
	var usage syscall.Rusage
	Check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	Check(err)
	for line := range strings.Lines(string(text)) {
		if mark, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return number(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(mark), "kB"))) << 10
		}
	}
	panic("/proc/self/status has no VmHWM: the peak memory is measured on Linux only")
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	return int64(heap.HeapAlloc)
}
