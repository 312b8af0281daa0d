package transcript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// openWatch is a watch that stays open between exchanges.
type openWatch struct {
	stop   context.CancelFunc
	events chan watchEvent // closed at the end of the stream
	err    error           // the reason of the end; read after events is closed
}

type watchEvent struct {
	Type   string `json:"type"`
	Object any    `json:"object"`
}

// pendingEvents is the maximum number of events that wait to be read.
const pendingEvents = 1000

func (p *player) openWatch(ctx context.Context, e *Exchange) (string, error) {
	if p.watches[e.Watch] != nil {
		return "", fmt.Errorf("watch %s is already open", e.Watch)
	}
	request, err := p.compose(e)
	if err != nil {
		return "", err
	}
	request.method = http.MethodGet
	ctx, cancel := context.WithCancel(ctx)
	timeout := time.AfterFunc(p.Timeout, cancel)
	response, err := p.do(ctx, request)
	if err != nil {
		cancel()
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		defer cancel()
		defer func() { _ = response.Body.Close() }()
		answer, err := readAnswer(request.target, response)
		if err != nil {
			return "", err
		}
		return p.renderAnswer(e, answer)
	}
	timeout.Stop()
	watch := &openWatch{events: make(chan watchEvent, pendingEvents)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watch.read(ctx, response.Body)
	}()
	watch.stop = func() { cancel(); <-ended }
	p.watches[e.Watch] = watch
	return p.renderAnswer(e, &answer{status: response.StatusCode, headers: response.Header})
}

// read delivers events until the stream ends.
func (w *openWatch) read(ctx context.Context, body io.ReadCloser) {
	defer close(w.events)
	defer func() { _ = body.Close() }()
	decoder := json.NewDecoder(body)
	decoder.UseNumber()
	for {
		var event watchEvent
		if w.err = decoder.Decode(&event); w.err != nil {
			return
		}
		select {
		case w.events <- event:
		case <-ctx.Done():
			w.err = ctx.Err()
			return
		}
	}
}

func (p *player) stopWatch(e *Exchange) (string, error) {
	watch := p.watches[e.Watch]
	if watch == nil {
		return "", fmt.Errorf("watch %s is not open", e.Watch)
	}
	watch.stop()
	delete(p.watches, e.Watch)
	return "", nil
}

// events reads n events, or all events until the end of the stream.
func (p *player) events(ctx context.Context, e *Exchange) (string, error) {
	watch := p.watches[e.Watch]
	if watch == nil {
		return "", fmt.Errorf("watch %s is not open", e.Watch)
	}
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	limit, err := strconv.Atoi(e.Target)
	toEnd := err != nil
	var b strings.Builder
	for n := 0; toEnd || n < limit; {
		event, err := watch.next(ctx)
		if toEnd && errors.Is(err, io.EOF) {
			b.WriteString("end\n")
			break
		}
		if err != nil {
			fmt.Fprintf(&b, "no further event: %v\n", err)
			break
		}
		text, err := p.renderEvent(e, event)
		if err != nil {
			return "", err
		}
		// A real server sends one or two periodic bookmarks.
		if text == "" || event.isPeriodic() && strings.HasSuffix(b.String(), text) {
			continue
		}
		b.WriteString(text)
		n++
	}
	return b.String(), nil
}

func (w *openWatch) next(ctx context.Context) (watchEvent, error) {
	select {
	case event, ok := <-w.events:
		if !ok {
			return event, w.err
		}
		return event, nil
	case <-ctx.Done():
		return watchEvent{}, ctx.Err()
	}
}

// isPeriodic reports whether the event is a periodic bookmark, not the end of the
// initial events.
func (event watchEvent) isPeriodic() bool {
	_, endsInitial := lookup(event.Object, []string{"metadata", "annotations", "k8s.io/initial-events-end"})
	return event.Type == "BOOKMARK" && !endsInitial
}

func (p *player) renderEvent(e *Exchange, event watchEvent) (string, error) {
	bookmark := event.Type == "BOOKMARK"
	if event.isPeriodic() && !e.has("bookmarks") {
		return "", nil
	}
	if !bookmark {
		p.normal.observe(event.Object)
	}
	if names := e.options["save"]; len(names) > 0 {
		p.values.saved[names[0]] = event.Object
	}
	value, err := p.visible(e, event.Object, bookmark)
	if err != nil {
		return "", err
	}
	return event.Type + " " + render(value, 0) + "\n", nil
}
