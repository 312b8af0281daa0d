package process

import "testing"

// Agree panics if the sides have different objects.
func TestAgreePanicsOnDifference(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("different digests of one work were accepted")
		}
	}()
	Agree("a list", "one")
	Agree("another", "two")
	Agree("a list", "one")
	Agree("a list", "two")
}
