package leader

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// One of several leads; when it stops, it gives the lease back, and another
// leads at its next look.
func TestTheNextOneNeedNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.stopAll()
		a := w.start("a", 1)
		synctest.Wait()
		if w.leader() != "a" {
			t.Fatalf("%q leads", w.leader())
		}
		b := w.start("b", 2)
		time.Sleep(time.Minute)
		w.check()
		if w.leader() != "a" || b.State().Leading || b.State().Leader != "a" {
			t.Fatalf("%q leads; b knows %+v", w.leader(), b.State())
		}
		if says := fmt.Sprint(a, "; ", b); says != "a, lease default/operator: leads; b, lease default/operator: stands by for a" {
			t.Error(says)
		}
		a.stop()
		<-a.ended
		if a.err != nil {
			t.Error(a.err)
		}
		time.Sleep(2500 * time.Millisecond)
		if s := b.State(); w.leader() != "b" || s.Transitions != 1 {
			t.Errorf("%q leads; b knows %+v", w.leader(), s)
		}
		w.check()
	})
}
