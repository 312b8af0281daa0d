package leader

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// One of several candidates leads. When it stops, it releases the Lease, and another
// candidate leads after its next read.
func TestReleasedLeaseIsTakenAtTheNextRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestCluster(t)
		defer w.stopAll()
		a := w.start("a", 1)
		synctest.Wait()
		if w.leader() != "a" {
			t.Fatalf("the leader is %q", w.leader())
		}
		b := w.start("b", 2)
		time.Sleep(time.Minute)
		w.check()
		if w.leader() != "a" || b.State().Leading || b.State().Leader != "a" {
			t.Fatalf("the leader is %q; the state of b: %+v", w.leader(), b.State())
		}
		if got := fmt.Sprint(a, "; ", b); got != "a, lease default/operator: leads; b, lease default/operator: standby, the leader is a" {
			t.Error(got)
		}
		a.stop()
		<-a.ended
		if a.err != nil {
			t.Error(a.err)
		}
		time.Sleep(2500 * time.Millisecond)
		if s := b.State(); w.leader() != "b" || s.Transitions != 1 {
			t.Errorf("the leader is %q; the state of b: %+v", w.leader(), s)
		}
		w.check()
	})
}
