package process

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// CPU is the processor time of this process until now: user and system.
func CPU() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Peak is the high-water mark of this process's resident set. Its own rusage
// would not do: that begins with the mark of the process that started it.
func Peak() int64 {
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/status")))) {
		if mark, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return must(strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(mark), "kB")), 10, 64)) << 10
		}
	}
	panic("this system does not say how much memory a process has used")
}

// Live is what is on the heap and reachable. It collects twice, for what a first
// collection finalizes.
func Live() int64 {
	runtime.GC()
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	return int64(heap.HeapAlloc)
}
