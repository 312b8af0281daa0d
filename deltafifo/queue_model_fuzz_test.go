package deltafifo

import (
	"math/rand/v2"
	"testing"
)

// FuzzQueueMatchesReference runs the model test with its choices taken from the fuzzing input, so
// that coverage guides the search for sequences that the seeds do not have.
func FuzzQueueMatchesReference(f *testing.F) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		program := make([]byte, 600)
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		choice := func(n int) int {
			if len(program) == 0 {
				return 0
			}
			b := program[0]
			program = program[1:]
			return int(b) % n
		}
		m := newModel(t, choice)
		for range 300 {
			if len(program) == 0 {
				break
			}
			m.step()
		}
		program = nil
		m.drain()
	})
}
