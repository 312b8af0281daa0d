package jsonobj

// validate checks all of the value at i against the JSON syntax, and returns the
// offset after it. depth is the number of levels that may still be opened.
func validate(data []byte, i, depth int) (end int, err error) {
	if i >= len(data) {
		return 0, ErrShort
	}
	switch KindOf(data[i]) {
	case Text:
		return validateText(data, i)
	case Number:
		end, _, err = number(data, i)
		return end, err
	case Null:
		return literal(data, i, "null")
	case Bool:
		if data[i] == 't' {
			return literal(data, i, "true")
		}
		return literal(data, i, "false")
	case Object, Array:
		if depth == 0 {
			return 0, errDeep
		}
		return validateInside(data, i, depth-1)
	}
	return 0, unexpected(data, i, "a value")
}

func validateText(data []byte, i int) (int, error) {
	end := plainEnd(data, i+1)
	if end < len(data) && data[end] == '"' {
		return end + 1, nil
	}
	end, _, _, err := textEnd(data, end)
	return end + 1, err
}

// validateInside checks the array or object that opens at i.
func validateInside(data []byte, i, depth int) (end int, err error) {
	object := data[i] == '{'
	closing := byte(']')
	if object {
		closing = '}'
	}
	if i = space(data, i+1); i < len(data) && data[i] == closing {
		return i + 1, nil
	}
	for {
		if object {
			if i, err = validateKey(data, i); err != nil {
				return 0, err
			}
		}
		if i, err = validate(data, i, depth); err != nil {
			return 0, err
		}
		if i = space(data, i); i >= len(data) {
			return 0, ErrShort
		}
		switch data[i] {
		case closing:
			return i + 1, nil
		case ',':
			i = space(data, i+1)
		default:
			return 0, unexpected(data, i, "a comma or the end")
		}
	}
}

func validateKey(data []byte, i int) (int, error) {
	if i >= len(data) {
		return 0, ErrShort
	}
	if data[i] != '"' {
		return 0, unexpected(data, i, "a key")
	}
	i, err := validateText(data, i)
	if err != nil {
		return 0, err
	}
	if i = space(data, i); i >= len(data) {
		return 0, ErrShort
	}
	if data[i] != ':' {
		return 0, unexpected(data, i, "a colon")
	}
	return space(data, i+1), nil
}
