package steps

import (
	"slices"

	"github.com/thinformer/thinformer/learn/internal/judge"
)

// MustFind returns the step with a name that is known to exist.
func MustFind(name string) judge.Step {
	i := slices.IndexFunc(All, func(s judge.Step) bool { return s.Name == name })
	if i < 0 {
		panic("no step is called " + name)
	}
	return All[i]
}
