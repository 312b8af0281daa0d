package controller

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// handleSignals stops the program at the first signal and ends the process at the
// second, until ignore is called.
func (p *Program) handleSignals() (ignore func()) {
	if p.options.NoSignals {
		return func() {}
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case s := <-signals:
			p.logger.Info("Stopping; a second signal ends the process at once", "signal", s.String())
			p.stop()
		case <-done:
			return
		}
		select {
		case s := <-signals:
			p.logger.Error("Second signal: ending the process without waiting", "signal", s.String())
			os.Exit(exitCode(s))
		case <-done:
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
		waiting.Wait()
	}
}

// exitCode returns the exit code that a shell reports for a process ended by the
// signal.
func exitCode(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
