package debug

import (
	"fmt"
	"strings"
	"time"
)

// A Problem keeps a component from its work. The HTML page shows the problems of all
// components first. Text and Hint are escaped.
type Problem struct {
	// Failing is true if something has failed. If it is false, the component waits.
	Failing bool
	// Text describes the problem, Hint says what to do about it.
	Text, Hint string
}

// A problem is a Problem with its times, which may be zero: the time of the first
// failure in a row, and that of the next attempt.
type problem struct {
	Problem
	since, retryAt time.Time
}

// health is the state of a component at a glance.
type health int

const (
	healthy health = iota
	waiting
	failing
)

// String returns the word that the page shows. Its lower case is the class in the
// style sheet.
func (h health) String() string { return [...]string{"Healthy", "Waiting", "Failing"}[h] }

func (h health) class() markup { return markup(strings.ToLower(h.String())) }

func (p Problem) health() health {
	if p.Failing {
		return failing
	}
	return waiting
}

// healthOf returns the health of a component with these problems.
func healthOf(problems []problem) health {
	worst := healthy
	for _, p := range problems {
		worst = max(worst, p.health())
	}
	return worst
}

// A tally counts components by their health.
type tally [failing + 1]int

func (t tally) worst() health {
	switch {
	case t[failing] > 0:
		return failing
	case t[waiting] > 0:
		return waiting
	}
	return healthy
}

// String returns a sentence for the head of the page.
func (t tally) String() string {
	all := t[healthy] + t[waiting] + t[failing]
	switch {
	case all == 0:
		return "There are no informers."
	case all == 1:
		return "The only component is " + strings.ToLower(t.worst().String()) + "."
	case t.worst() == healthy:
		return fmt.Sprintf("All %d components are healthy.", all)
	}
	var parts []string
	if n := t[failing]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d failing", n))
	}
	if n := t[waiting]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting", n))
	}
	return fmt.Sprintf("Of %d components: %s, %d healthy.", all, strings.Join(parts, ", "), t[healthy])
}
