package resume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The checks of failures.

var errRefused = fmt.Errorf("dial tcp 10.0.0.1:6443: %w", syscall.ECONNREFUSED)

func checkBroken(t *judge.T, parts stack.Parts) {
	r := follow(t, parts,
		scripted.Opens(scripted.Added("a", "11"), scripted.End(fmt.Errorf("watch: %w", io.ErrUnexpectedEOF))))
	r.after(30 * time.Minute)
	const end = "an event with version 11, then a broken connection (io.ErrUnexpectedEOF)"
	r.opensFrom(1, "11", end)
	r.opensAt(1, time.Minute, end, "a break is a failure; wait for Backoff.Next, here 1 minute")
}

func checkRefused(t *judge.T, parts stack.Parts) {
	fails := scripted.Fails(errRefused)
	r := follow(t, parts, fails, fails, fails, scripted.Opens(scripted.Added("a", "11")))
	r.after(30 * time.Minute)
	const why = "wait for Backoff.Next (1, 2, 3 minutes) after each refused connection, and for nothing else"
	for number, at := range []time.Duration{0, time.Minute, 3 * time.Minute, 6 * time.Minute} {
		if number > 0 {
			r.opensAt(number, at, fmt.Sprintf("refused connections so far: %d", number), why)
		}
		r.opensFrom(number, "10", "refused connections")
	}
	r.stored("add a 11", "three refused connections, then a watch")
}

func checkReset(t *judge.T, parts stack.Parts) {
	fails := scripted.Fails(errRefused)
	r := follow(t, parts, fails, fails, scripted.Opens(scripted.Pause(time.Second), scripted.End(io.EOF)), fails,
		scripted.Opens(scripted.Bookmark("11"), scripted.End(io.EOF)), fails)
	r.after(50 * time.Minute)
	const opened = "two refused connections, a watch without an event, a refused connection"
	r.opensAt(4, 6*time.Minute+time.Second, opened, "only an event resets the back-off: the next time is the third, 3 minutes")
	const received = "a watch with a bookmark, then a refused connection"
	r.opensAt(6, 7*time.Minute+time.Second, received, "an event resets the back-off, and a bookmark is an event: the next time is the first, 1 minute")
}

func checkSilence(t *judge.T, parts stack.Parts) {
	r := follow(t, parts, scripted.Opens(scripted.Pause(20*time.Minute), scripted.Added("a", "11")))
	r.after(20*time.Minute + silence - time.Second)
	if requests := r.source.Requests(); len(requests) != 1 {
		t.Fatalf("an event after 20 minutes, then nothing for 59m59s: there are already %d requests, although the silence of %v is not over", len(requests), silence)
	}
	r.after(10 * time.Second)
	const end = "an event after 20 minutes, then one hour of silence"
	r.opensFrom(1, "11", end)
	r.opensAt(1, 20*time.Minute+silence, end, "a silent watch is replaced at once when the silence has lasted one hour")
	if nexts, _ := r.backoff.Calls(); nexts > 0 {
		t.Fatalf("%s: Backoff.Next is called %d times, but a silent watch is no failure", end, nexts)
	}
}

func checkSilentRequest(t *judge.T, parts stack.Parts) {
	r := follow(t, parts, scripted.Silent(), scripted.Opens(scripted.Added("a", "11")))
	r.after(silence + 10*time.Minute)
	const end = "a server that does not respond to the request for a watch"
	r.opensFrom(1, "10", end)
	r.opensAt(1, silence, end, "end the request after the time of silence, and open another one at once")
	r.stored("add a 11", end+", then responds to the second")
}

func checkNoSilence(t *judge.T, parts stack.Parts) {
	const each = 40 * time.Minute
	r := follow(t, parts, scripted.Late(each, scripted.Opens(
		scripted.Pause(each), scripted.Bookmark("11"), scripted.Pause(each), scripted.Bookmark("12"), scripted.Pause(each), scripted.Added("a", "13"))))
	r.after(5 * each)
	if got := r.source.Log(); got != "watch from 10" {
		t.Fatalf("a response after 40 minutes, then an event every 40 minutes: the requests are %q, want one watch, since it was never silent for one hour", got)
	}
	r.stored("bookmark 11, bookmark 12, add a 13", "an event every 40 minutes")
}

// returns fails unless Follow has returned this error with version 11.
func (r *run) returns(want error, after string) {
	if !r.returned() {
		r.t.Fatalf("%s: Follow does not return; the requests are: %s", after, r.source.Log())
	}
	if !errors.Is(r.err, want) {
		r.t.Fatalf("%s: Follow returns the error \"%v\", in which errors.Is does not find the original one (\"%v\"): return that, unchanged or wrapped", after, r.err, want)
	}
	if r.last != "11" {
		r.t.Fatalf("%s: Follow returns the version %q, want 11, the last version that reached the store", after, r.last)
	}
}

// endings are the two ways in which a server can say no: as the response to the request
// for a watch, and as an ERROR event in it.
func endings(err error) []ending {
	return []ending{
		{"as an ERROR event", []scripted.Answer{scripted.Opens(scripted.Added("a", "11"), scripted.End(err))}},
		{"as the response to a watch, in an error that wraps it (errors.As)", []scripted.Answer{scripted.Opens(scripted.Added("a", "11"), scripted.End(io.EOF)), scripted.Fails(fmt.Errorf("watch: %w", err))}},
	}
}

// ending is a version 11, followed by a no.
type ending struct {
	how     string
	watches []scripted.Answer
}

func checkExpired(t *judge.T, parts stack.Parts) {
	for _, expired := range []error{apierrors.NewResourceExpired("too old"), apierrors.NewGenericServerResponse(http.StatusGone, "get", schema.GroupResource{Resource: "configmaps"}, "", "", 0, false)} {
		for _, end := range endings(expired) {
			r := follow(t, parts, end.watches...)
			r.after(10 * time.Minute)
			r.returns(expired, fmt.Sprintf("410 with the reason %q %s", apierrors.ReasonForError(expired), end.how))
		}
	}
}

func checkRejected(t *judge.T, parts stack.Parts) {
	for _, code := range []int{400, 401, 403, 404, 405, 409, 418, 422} {
		rejected := apierrors.NewGenericServerResponse(code, "get", schema.GroupResource{Resource: "configmaps"}, "", "", 0, false)
		for _, end := range endings(rejected) {
			r := follow(t, parts, end.watches...)
			r.after(10 * time.Minute)
			r.returns(rejected, fmt.Sprintf("%d %s", code, end.how))
		}
	}
}

func checkServerError(t *judge.T, parts stack.Parts) {
	for _, code := range []int{http.StatusTooManyRequests, 500, 503, 504} {
		failed := apierrors.NewGenericServerResponse(code, "get", schema.GroupResource{Resource: "configmaps"}, "", "", 0, false)
		for _, end := range endings(failed) {
			r := follow(t, parts, end.watches...)
			r.after(10 * time.Minute)
			after := fmt.Sprintf("%d %s", code, end.how)
			r.opensFrom(len(end.watches), "11", after)
			r.opensAt(len(end.watches), time.Minute, after, "wait for Backoff.Next, here 1 minute, then go on from the last version")
			r.end()
		}
	}
}

func checkStoreError(t *judge.T, parts stack.Parts) {
	for _, c := range []struct {
		call  string // of the store
		event scripted.Step
	}{
		{"add a 12", scripted.Added("a", "12")},
		{"update a 12", scripted.Modified("a", "12")},
		{"delete a 12", scripted.Deleted("a", "12")},
	} {
		full := errors.New("the store is full")
		store := &scripted.Store{Before: func(call string) error {
			if call == c.call {
				return full
			}
			return nil
		}}
		r := followInto(t, parts, store, scripted.Opens(scripted.Added("a", "11"), c.event, scripted.Added("b", "13")))
		r.after(10 * time.Minute)
		after := fmt.Sprintf("the call %q of the store fails, after the version 11", c.call)
		r.returns(full, after)
		r.stored("add a 11", after)
		if leak := r.source.Leak(true); leak != "" {
			t.Fatalf("%s: %s", after, leak)
		}
	}
}

func checkContext(t *judge.T, parts stack.Parts) {
	for _, c := range []struct {
		during string
		answer scripted.Answer
	}{
		{"Follow waits for an event", scripted.Opens()},
		{"Follow waits for the response to a watch", scripted.Silent()},
		{"Follow waits for the back-off", scripted.Fails(errRefused)},
	} {
		r := follow(t, parts, c.answer, scripted.Opens())
		r.after(time.Second)
		begin := time.Now()
		r.end()
		if took := time.Since(begin); took > 0 {
			t.Fatalf("the context ends while %s: Follow returns %v later, want at once", c.during, took)
		}
		if !errors.Is(r.err, context.Canceled) || r.last != "10" {
			t.Fatalf("the context ends while %s: Follow returns %q and the error %v, want 10 and the error of the context", c.during, r.last, r.err)
		}
		if leak := r.source.Leak(true); leak != "" {
			t.Fatalf("the context ends while %s: %s", c.during, leak)
		}
	}
}
