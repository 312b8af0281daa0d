package informer

import (
	"container/list"
	"sync"
	"sync/atomic"
	"time"
)

// bodyVersion is the version of a body. Versions of different epochs differ, since a
// server whose versions have gone back gives the same version to other contents.
type bodyVersion struct {
	text  string
	epoch int
}

// bodyLimits are those of BodyOptions. A negative limit is none.
type bodyLimits struct {
	bodies int
	bytes  int64
	idle   time.Duration
}

// bodyCount counts kept bodies.
type bodyCount struct{ bodies, bytes atomic.Int64 }

func (c *bodyCount) add(bodies int, bytes int64) {
	c.bodies.Add(int64(bodies))
	c.bytes.Add(bytes)
}

// keptBodies keeps the bodies that were read recently.
type keptBodies[T any] struct {
	limits bodyLimits
	// total counts the bodies of all Bodies with the same metadata.
	total *bodyCount

	mu     sync.Mutex
	closed bool
	byKey  map[string]*list.Element
	// recent has the bodies, each a *keptBody[T], in the order of their last read, latest
	// first. bytes is the sum of their sizes.
	recent list.List
	bytes  int64
	// timer drops idle bodies. It is nil if there is none, and if there is no limit.
	timer *time.Timer
}

// keptBody is one body. The mu of keptBodies guards it.
type keptBody[T any] struct {
	key     string
	version bodyVersion
	obj     T
	size    int64
	read    time.Time
}

// get returns the body of a key if it has this version.
func (k *keptBodies[T]) get(key string, version bodyVersion) (obj T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	element := k.byKey[key]
	if element == nil {
		return obj, false
	}
	body := element.Value.(*keptBody[T])
	if body.version != version {
		return obj, false
	}
	body.read = time.Now()
	k.recent.MoveToFront(element)
	return body.obj, true
}

// add keeps a body in place of the previous one of its key, and drops others if there are
// too many.
func (k *keptBodies[T]) add(body keptBody[T]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(k.byKey[body.key])
	if k.closed || k.limits.bytes >= 0 && body.size > k.limits.bytes {
		return
	}
	if k.byKey == nil {
		k.byKey = map[string]*list.Element{}
	}
	body.read = time.Now()
	k.byKey[body.key] = k.recent.PushFront(&body)
	k.bytes += body.size
	k.total.add(1, body.size)
	for k.limits.bodies >= 0 && k.recent.Len() > k.limits.bodies || k.limits.bytes >= 0 && k.bytes > k.limits.bytes {
		k.remove(k.recent.Back())
	}
	if k.timer == nil && k.limits.idle >= 0 {
		k.timer = time.AfterFunc(k.limits.idle, k.dropIdle)
	}
}

// remove removes a body, if element is not nil. It needs mu.
func (k *keptBodies[T]) remove(element *list.Element) {
	if element == nil {
		return
	}
	body := k.recent.Remove(element).(*keptBody[T])
	delete(k.byKey, body.key)
	k.bytes -= body.size
	k.total.add(-1, -body.size)
}

// count returns the number of bodies and the sum of their sizes.
func (k *keptBodies[T]) count() (bodies int, bytes int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.recent.Len(), k.bytes
}

func (k *keptBodies[T]) drop(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(k.byKey[key])
}

// dropUnless drops the body of a key if it has another version.
func (k *keptBodies[T]) dropUnless(key string, version bodyVersion) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if element := k.byKey[key]; element != nil && element.Value.(*keptBody[T]).version != version {
		k.remove(element)
	}
}

// dropIdle drops the bodies that have not been read for too long, and waits for the next
// one to expire.
func (k *keptBodies[T]) dropIdle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for last := k.recent.Back(); last != nil; last = k.recent.Back() {
		if left := k.limits.idle - time.Since(last.Value.(*keptBody[T]).read); left > 0 {
			if !k.closed {
				k.timer.Reset(left)
			}
			return
		}
		k.remove(last)
	}
	k.timer = nil
}

// close drops all bodies and keeps no more.
func (k *keptBodies[T]) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.total.add(-k.recent.Len(), -k.bytes)
	k.byKey, k.bytes = nil, 0
	k.recent.Init()
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
}
