package steps

import (
	"slices"

	"github.com/thinformer/thinformer/learn/internal/judge"
)

// Find returns the step with a number.
func Find(number int) (judge.Step, bool) {
	return find(func(s judge.Step) bool { return s.Number == number })
}

// MustFind returns the step with a name that is known to exist.
func MustFind(name string) judge.Step {
	step, ok := find(func(s judge.Step) bool { return s.Name == name })
	if !ok {
		panic("no step is called " + name)
	}
	return step
}

func find(matches func(judge.Step) bool) (judge.Step, bool) {
	if i := slices.IndexFunc(All, matches); i >= 0 {
		return All[i], true
	}
	return judge.Step{}, false
}
