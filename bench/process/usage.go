package process

import (
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
func Peak() int64 {
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/status")))) {
		if mark, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return must(strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(mark), "kB")), 10, 64)) << 10
		}
	}
	panic("/proc/self/status has no VmHWM: the peak memory is measured on Linux only")
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
