package pods

import (
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/interop/objects"
)

// lively is one MODIFIED event of each of some pods, encoded one behind the
// other, to be sent again and again with other versions.
type lively struct {
	events []byte
	// begin of each event in events, and of the digits of its version.
	begin, digits []int
	// next event that is to be sent.
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

// atOnce is how many events are written together.
const atOnce = 20

// Sending sends so many events, each with a version of its own, as fast as they
// are taken.
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

// take is the next n events, which there must be without beginning anew, with
// the versions after the one given. It is valid until the next call.
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
