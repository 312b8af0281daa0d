package controller

import (
	"os"
	"os/signal"
	"syscall"
)

// obeySignals stops the program at the first signal that says so, and ends the
// process at the second, until ignore is called.
func (p *program) obeySignals() (ignore func()) {
	if p.options.NoSignals {
		return func() {}
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-signals:
			p.logger.Info("Stopping; the same signal again ends the process at once", "signal", s.String())
			p.halt()
		case <-over:
			return
		}
		select {
		case s := <-signals:
			p.logger.Error("Told to stop again: the process ends, with whatever it has begun", "signal", s.String())
			os.Exit(exitCode(s))
		case <-over:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(over)
		<-ended
	}
}

// exitCode is the one that a shell shows of who was ended by the signal.
func exitCode(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
