package process

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// CPU returns the user and system time of this process until now.
func CPU() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Peak returns the largest resident set of this process. It does not use getrusage,
// whose value begins with that of the parent process.
func Peak() int64 { return memoryOf(os.Getpid(), "VmHWM:") }

// Resident returns the resident memory of a process.
func Resident(pid int) int64 { return memoryOf(pid, "VmRSS:") }

// memoryOf returns a line of the memory in the status of a process.
func memoryOf(pid int, mark string) int64 {
	for line := range strings.Lines(string(must(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))))) {
		if size, ok := strings.CutPrefix(line, mark); ok {
			return must(strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(size), "kB")), 10, 64)) << 10
		}
	}
	panic("/proc has no " + mark + " the memory of a process is measured on Linux only")
}

// Live returns the size of the live heap. It collects twice, since the first collection
// may run finalizers.
func Live() int64 {
	runtime.GC()
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	return int64(heap.HeapAlloc)
}
