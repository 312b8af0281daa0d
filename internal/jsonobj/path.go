package jsonobj

import "strconv"

// pathTo is the path of the field whose key or value is at offset of data, such
// as spec.containers[0].image. It reads the data once more, up to there, and is
// for what has been read that far without fault.
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
	return spell(data, offset, open)
}

// step is a container that a path leads through.
type step struct {
	array bool
	index int
	key   int // where the key is in the data; 0 if none has come
}

func spell(data []byte, offset int, open []step) string {
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
	return shown(path)
}

// drop notes the path of the key that is being passed over. The path is often
// the same as that of the object before, and then no new string.
func (d *Decoder) drop() {
	d.dropped = true
	path := d.text[:0]
	for level := depthOf(d.MaxDepth) - 1; level >= d.depth; level-- {
		if at := d.trail[level]; at < 0 {
			path = appendIndex(path, ^at)
		} else {
			path = appendName(path, d.data, at)
		}
	}
	d.text = path
	if d.path != string(path) {
		d.path = shown(path)
	}
}

func appendIndex(path []byte, index int) []byte {
	path = append(path, '[')
	path = strconv.AppendInt(path, int64(index), 10)
	return append(path, ']')
}

// appendName appends the key at a place in the data.
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

func shown(path []byte) string {
	if len(path) > longest {
		return string(path[:longest/2]) + "..." + string(path[len(path)-longest/2:])
	}
	return string(path)
}

// longest is how much of a path is shown, so that no message grows with what a
// server sends.
const longest = 512
