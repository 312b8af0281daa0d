package pods

import (
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/interop/objects"
)

// eventPods has one encoded MODIFIED event for each of some pods, one after another. They
// are sent repeatedly with other versions.
type eventPods struct {
	events []byte
	// begin has the offset of each event in events, digits that of its version.
	begin, digits []int
	// next is the next event to send.
	next int
}

func newEventPods(of Config) (e eventPods) {
	for i := range of.EventPods {
		pod := objects.Pod(i)
		event := of.Encoding.Event(watch.Modified, of.Encoding.Object(pod))
		e.begin = append(e.begin, len(e.events))
		e.digits = append(e.digits, len(e.events)+of.Encoding.VersionAt(event, pod))
		e.events = append(e.events, event...)
	}
	return e
}

// eventsPerWrite is the number of events that are written together.
const eventsPerWrite = 20

// Sending returns a command that sends events, each with its own version, as fast as
// the client reads them.
func (s *Server) Sending(events int) Command {
	return func(w http.ResponseWriter) (more bool) {
		s.sending.Lock()
		defer s.sending.Unlock()
		for events > 0 {
			n := min(events, eventsPerWrite, len(s.eventPods.begin)-s.eventPods.next)
			if _, err := w.Write(s.eventPods.take(n, s.version.Add(int64(n))-int64(n))); err != nil {
				return false
			}
			events -= n
		}
		w.(http.Flusher).Flush()
		return true
	}
}

// take returns the next n events with the versions after the given one. There must be n
// events before the end of the sequence. The result is valid until the next call.
func (e *eventPods) take(n int, version int64) []byte {
	first, last := e.next, e.next+n
	for _, at := range e.digits[first:last] {
		version++
		strconv.AppendInt(e.events[:at], version, 10)
	}
	end := len(e.events)
	e.next = last
	if last == len(e.begin) {
		e.next = 0
	} else {
		end = e.begin[last]
	}
	return e.events[e.begin[first]:end]
}
