package pods

import (
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/interop/objects"
)

// lively has one encoded MODIFIED event for each of some pods, one after another. They
// are sent repeatedly with other versions.
type lively struct {
	events []byte
	// begin has the offset of each event in events, digits that of its version.
	begin, digits []int
	// next is the next event to send.
	next int
}

func newLively(of Config) (l lively) {
	for i := range of.Lively {
		pod := objects.Pod(i)
		event := of.Encoding.Event(watch.Modified, of.Encoding.Object(pod))
		l.begin = append(l.begin, len(l.events))
		l.digits = append(l.digits, len(l.events)+of.Encoding.VersionAt(event, pod))
		l.events = append(l.events, event...)
	}
	return l
}

// atOnce is the number of events that are written together.
const atOnce = 20

// Sending returns a command that sends events, each with its own version, as fast as
// the client reads them.
func (s *Server) Sending(events int) Command {
	return func(w http.ResponseWriter) (more bool) {
		s.sending.Lock()
		defer s.sending.Unlock()
		for events > 0 {
			n := min(events, atOnce, len(s.lively.begin)-s.lively.next)
			if _, err := w.Write(s.lively.take(n, s.version.Add(int64(n))-int64(n))); err != nil {
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
func (l *lively) take(n int, version int64) []byte {
	first, last := l.next, l.next+n
	for _, at := range l.digits[first:last] {
		version++
		strconv.AppendInt(l.events[:at], version, 10)
	}
	end := len(l.events)
	l.next = last
	if last == len(l.begin) {
		l.next = 0
	} else {
		end = l.begin[last]
	}
	return l.events[l.begin[first]:end]
}
