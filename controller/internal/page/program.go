package page

import "github.com/thinformer/thinformer/informer/debug"

// Program is the state of a program.
type Program struct {
	Phase string `json:"phase"`
	// Hint says what the program waits for, "" if its controllers run.
	Hint string `json:"-"`
	// Election describes the state of the election, ElectionError its failure.
	Election      string `json:"election,omitempty"`
	ElectionError string `json:"electionError,omitempty"`
}

// Section returns the section of the page.
func (p Program) Section() debug.Section {
	lines := []string{"phase     " + p.Phase}
	for _, election := range []string{p.Election, p.ElectionError} {
		if election != "" {
			lines = append(lines, "election  "+election)
		}
	}
	return debug.Section{Title: "program", Lines: lines, State: p, Problems: p.problems()}
}
