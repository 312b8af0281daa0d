package jsonobj

import "strconv"

// pathTo returns the path of the field whose key or value is at offset of data, such
// as spec.containers[0].image. It reads the data again up to there, which must have
// been read without error before.
func pathTo(data []byte, offset int) string {
	var open []step
	i := 0
	for i < offset && i < len(data) {
		switch c := data[i]; c {
		case '{', '[':
			open = append(open, step{array: c == '['})
		case '}', ']':
			if len(open) == 0 {
				return ""
			}
			open = open[:len(open)-1]
		case ',':
			if n := len(open); n > 0 {
				open[n-1].index++
				open[n-1].key = 0
			}
		case '"':
			_, n, err := String(data[i:], nil)
			if err != nil {
				n = len(data) - i
			}
			if last := len(open) - 1; last >= 0 && !open[last].array && open[last].key == 0 {
				open[last].key = i
			}
			if i+n > offset {
				i = offset
				continue
			}
			i += n
			continue
		}
		i++
	}
	return formatPath(data, offset, open)
}

// step is a container on a path.
type step struct {
	array bool
	index int
	key   int // offset of the key in the data; 0 if none has been read
}

func formatPath(data []byte, offset int, open []step) string {
	var path []byte
	for k, s := range open {
		switch {
		case s.array:
			path = appendIndex(path, s.index)
			continue
		case s.key == 0 && k == len(open)-1 && offset < len(data) && data[offset] == '"':
			s.key = offset // the path of a key ends with it
		case s.key == 0:
			continue
		}
		path = appendName(path, data, s.key)
	}
	return truncatePath(path)
}

// recordDropped records the path of the key that is being skipped, if it is the first
// one, or the first in status or metadata. If the path is the same as for the previous
// object, it allocates no new string.
func (d *Decoder) recordDropped() {
	inStatus := !d.statusDropped && d.insideStatus()
	if d.dropped && !inStatus {
		return
	}
	path := d.currentPath()
	if !d.dropped {
		d.dropped = true
		if d.path != string(path) {
			d.path = truncatePath(path)
		}
	}
	if inStatus {
		d.statusDropped = true
		if d.statusPath != string(path) {
			d.statusPath = truncatePath(path)
		}
	}
}

// insideStatus reports whether the current value is, or is in, the status or the
// metadata of the whole object.
func (d *Decoder) insideStatus() bool {
	at := d.offsets[depthOf(d.MaxDepth)-1]
	if at < 0 {
		return false
	}
	name, _, err := String(d.data[at:], nil)
	return err == nil && (string(name) == "status" || string(name) == "metadata")
}

// currentPath returns the path of the current value.
func (d *Decoder) currentPath() []byte {
	path := d.text[:0]
	for level := depthOf(d.MaxDepth) - 1; level >= d.depth; level-- {
		if at := d.offsets[level]; at < 0 {
			path = appendIndex(path, ^at)
		} else {
			path = appendName(path, d.data, at)
		}
	}
	d.text = path
	return path
}

func appendIndex(path []byte, index int) []byte {
	path = append(path, '[')
	path = strconv.AppendInt(path, int64(index), 10)
	return append(path, ']')
}

// appendName appends the key at an offset of the data.
func appendName(path, data []byte, at int) []byte {
	name, _, err := String(data[at:], nil)
	if err != nil {
		return path
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	if len(name) == 0 {
		name = []byte(`""`)
	}
	return append(path, name...)
}

func truncatePath(path []byte) string {
	if len(path) > maxPathLength {
		return string(path[:maxPathLength/2]) + "..." + string(path[len(path)-maxPathLength/2:])
	}
	return string(path)
}

// maxPathLength bounds the length of a path in messages, so that it does not depend
// on what a server sends.
const maxPathLength = 512
