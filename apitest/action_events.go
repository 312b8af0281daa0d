package apitest

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest/internal/fault"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// AfterEvents applies an action to a watch after it has sent n events, not
// counting bookmarks; 0 is before the first event. An action that ends a
// response ends the watch.
func AfterEvents(n int, do Action) Action {
	if do.text == "" {
		panic("apitest: AfterEvents: the action is not set")
	}
	if do.act == nil && !do.truncate {
		panic(fmt.Sprintf("apitest: AfterEvents(%d, %s): the action applies to whole responses or to events, not between two events", n, do.text))
	}
	after := "after " + strconv.Itoa(n) + " events"
	switch {
	case n <= 0:
		after = "before the first event"
	case n == 1:
		after = "after 1 event"
	}
	return Action{text: after + ", " + do.text, verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewCountdown(at.Point, n, do.at(at))
	}}
}

// AfterTime applies an action that ends a response, such as [Cut], [Break],
// [Reset] or [Fail], to a watch some time after it began, like a middlebox that
// ends long-lived connections. The time is drawn between minDelay and maxDelay
// for each watch.
func AfterTime(minDelay, maxDelay time.Duration, action Action) Action {
	switch {
	case action.text == "":
		panic("apitest: AfterTime: the action is not set")
	case action.act == nil && !action.truncate || action.act != nil && !action.last:
		panic(fmt.Sprintf("apitest: AfterTime(%s, %s, %s): the action does not end a watch", minDelay, maxDelay, action.text))
	case minDelay < 0 || maxDelay < minDelay:
		panic(fmt.Sprintf("apitest: AfterTime(%s, %s): minDelay must not be negative, and maxDelay must not be less than minDelay", minDelay, maxDelay))
	}
	after := fmt.Sprintf("after %s to %s", minDelay, maxDelay)
	if minDelay == maxDelay {
		after = "after " + minDelay.String()
	}
	return Action{text: after + ", " + action.text, verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewTimedEnd(at.Point, at.RandomDuration(minDelay, maxDelay), action.at(at))
	}}
}

// DropBookmarks drops all bookmarks, including the one that ends the initial
// events.
func DropBookmarks() Action {
	return Action{text: "drop all bookmarks", verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewDroppedFrames(at.Point, func(f response.Frame) bool { return f.Type == watch.Bookmark })
	}}
}

// DropInitialEventsEnd drops the bookmark that ends the initial events, like a
// server that does not support that bookmark.
func DropInitialEventsEnd() Action {
	return Action{text: "drop the bookmark that ends the initial events", verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewDroppedFrames(at.Point, func(f response.Frame) bool { return f.InitialEnd })
	}}
}

// CutBeforeInitialEventsEnd ends the watch after all initial events, before the
// bookmark that ends them.
func CutBeforeInitialEventsEnd() Action {
	return Action{text: "end the stream before the bookmark that ends the initial events", verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewCutBeforeInitialEnd(at.Point)
	}}
}

// DuplicateEvents sends each event twice.
func DuplicateEvents() Action {
	return Action{text: "send each event twice", verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewDuplicatedEvents(at.Point)
	}}
}

// DelayEvents delays each event. Events that were sent together still arrive
// together. When the watch ends, the delayed events are sent at once.
func DelayEvents(delay time.Duration) Action {
	return Action{text: fmt.Sprintf("delay events by %s", delay), verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewDelay(at.Point, delay)
	}}
}

// ReorderEvents collects the events of a time span, which begins with the first
// event, and sends them in an order in which no event keeps its position. A
// bookmark ends the span: no event is sent after a bookmark that covers it.
func ReorderEvents(maxDelay time.Duration) Action {
	return Action{text: fmt.Sprintf("reorder the events of each %s", maxDelay), verb: "watch", events: func(at *faultPoint) fault.Events {
		return fault.NewReorder(at.Point, maxDelay)
	}}
}
