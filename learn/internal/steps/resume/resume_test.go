package resume_test

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/steps"
	"github.com/thinformer/thinformer/learn/internal/steps/resume"
)

func TestStep(t *testing.T) { judge.Test(t, resume.Step, steps.Reference()) }
