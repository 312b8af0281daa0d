package listwatch_test

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/steps"
	"github.com/thinformer/thinformer/learn/internal/steps/listwatch"
)

func TestStep(t *testing.T) { judge.Test(t, listwatch.Step, steps.Reference()) }
