package process

import "testing"

// What the bench calls equal can differ.
func TestADisagreementIsNoticed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two digests after one work were taken for the same")
		}
	}()
	Agree("a list", "one")
	Agree("another", "two")
	Agree("a list", "one")
	Agree("a list", "two")
}
