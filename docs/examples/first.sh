#!/bin/sh
# Plays the first legal action. The lines have one space behind each comma and colon, so that a shell can take them apart.
while IFS= read -r line; do
    case $line in
    '{"type": "hello"'*)
        echo '{"type": "hello", "protocol": 1}'
        ;;
    '{"type": "decision"'*)
        id=${line#*'"id": '}
        action=${line#*'"legal": ["'}
        echo '{"type": "action", "id": '"${id%%,*}"', "action": "'"${action%%\"*}"'"}'
        ;;
    esac
done
