package plane

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// guarded returns a process that runs until it is killed, and a guard of it and of a
// folder.
func guarded(t *testing.T) (watched *exec.Cmd, guard *guard, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "plane")
	if err := os.MkdirAll(filepath.Join(dir, "etcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	watched = exec.Command("sleep", "60")
	watched.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := watched.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = watched.Process.Kill(), watched.Wait() })
	guard, err := startGuard(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.watch(&process{name: "sleep", cmd: watched}); err != nil {
		t.Fatal(err)
	}
	return watched, guard, dir
}

func gone(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is still there")
	}
}

// The guard kills the remaining processes if the kernel does not.
func TestGuardKillsWatchedProcess(t *testing.T) {
	watched, guard, dir := guarded(t)
	guard.pipe.Close() // as the end of this process does
	if err := guard.cmd.Wait(); err != nil {
		t.Error(err)
	}
	_ = watched.Wait()
	if status := watched.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("the guard has not killed the process: %v", watched.ProcessState)
	}
	gone(t, dir)
}

// Another process may have the number of a process that has ended.
func TestGuardKillsNoProcessAfterItsProcessesHaveEnded(t *testing.T) {
	watched, guard, dir := guarded(t)
	if err := guard.end(); err != nil {
		t.Error(err)
	}
	if !runs(watched.Process.Pid) {
		t.Error("the guard has killed a process that it does not watch")
	}
	gone(t, dir)
}
