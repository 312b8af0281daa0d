package reflector_test

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/steps"
	"github.com/thinformer/thinformer/learn/internal/steps/reflector"
)

func TestStep(t *testing.T) { judge.Test(t, reflector.Step, steps.Reference()) }
